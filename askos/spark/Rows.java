package askos;

import java.util.List;
import org.apache.spark.Partition;
import org.apache.spark.SparkContext;
import org.apache.spark.TaskContext;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.util.TaskCompletionListener;
import scala.collection.Iterator;
import scala.collection.immutable.Nil$;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag$;

/**
 * Rows that the driver has, in the partitions where it wants them.
 *
 * Spark has functions for that, and would read each of them, byte by byte, in every micro-batch, to
 * see what it needs.
 *
 * A task has the settings of its query, but the thread that Spark starts for it, which serves its
 * state to Python, has those of the session that is active there.  As there is none, it makes code
 * for the keys and values of every variable, in every task, a tenth of its time.  Here it finds
 * one that makes no code, until the task is done.
 *
 * Janino compiles this, which knows no generics.
 */
final class Rows extends RDD {
    private static volatile SparkSession without;
    private final transient List[] rows; // each task has its own with its partition

    Rows(SparkContext context, List[] rows) {
        super(context, Nil$.MODULE$, ClassTag$.MODULE$.apply(InternalRow.class));
        this.rows = rows;
    }

    /** Have a session that makes no code. */
    static void prepare(SparkSession session) {
        if (without == null || without.sparkContext().isStopped()) {
            SparkSession made = session.newSession();
            made.conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
            without = made;
        }
    }

    public Partition[] getPartitions() {
        Partition[] found = new Partition[rows.length];
        for (int i = 0; i < found.length; i++) {
            found[i] = new Part(i, rows[i]);
        }
        return found;
    }

    public Iterator compute(Partition part, TaskContext task) {
        if (without != null) { // it is of this Java, where the task may not be
            SparkSession.setActiveSession(without);
            task.addTaskCompletionListener((TaskCompletionListener) new Done());
        }
        return CollectionConverters.asScala(((Part) part).rows.iterator());
    }

    /** The task is done. */
    private static final class Done implements TaskCompletionListener {
        public void onTaskCompletion(TaskContext task) {
            SparkSession.clearActiveSession();
        }
    }

    private static final class Part implements Partition {
        final int index;
        final List rows;

        Part(int index, List rows) {
            this.index = index;
            this.rows = rows;
        }

        public int index() {
            return index;
        }

        public boolean org$apache$spark$Partition$$super$equals(Object other) {
            return this == other;
        }
    }
}
