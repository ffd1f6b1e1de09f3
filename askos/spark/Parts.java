package askos;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.QueryExecution;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/**
 * Runs every micro-batch of a query, and hands one column of what comes out to Python, all of it
 * binary: one value after the other, each after its length.
 *
 * That is what a function of Python for `foreachBatch` does by `DataFrame.collect`, less what it
 * costs for a few rows.  There the rows are planned as a query of their own, Spark reads its largest
 * classes, byte by byte and twice, to see what the functions need that it sends to the tasks, and
 * Python asks Java some forty times for what it hears here at once.
 *
 * Janino compiles this, which knows no generics.
 */
public final class Parts implements VoidFunction2 {
    /** What Python does at the end of a micro-batch. */
    public interface Taker {
        void take(byte[] values, long batch);
    }

    private final int column;
    private final Taker taker;

    public Parts(int column, Taker taker) {
        this.column = column;
        this.taker = taker;
    }

    public void call(Object rows, Object batch) throws IOException {
        QueryExecution planned = ((Dataset) rows).queryExecution();
        LogicalPlan plan = planned.logical(); // rows that are planned already, and need no second plan
        RDD made = plan instanceof LogicalRDD ? ((LogicalRDD) plan).rdd() : planned.toRdd();
        byte[][] found = (byte[][]) made.sparkContext().runJob(
            made, new Column(column), ClassTag$.MODULE$.apply(byte[].class));
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < found.length; i++) {
            all.write(found[i]);
        }
        taker.take(all.toByteArray(), ((Long) batch).longValue());
    }

    /** What a task gives of its rows. */
    public static final class Column extends AbstractFunction2 implements java.io.Serializable {
        private final int column;

        public Column(int column) {
            this.column = column;
        }

        public Object apply(Object task, Object rows) {
            ByteArrayOutputStream found = new ByteArrayOutputStream();
            DataOutputStream values = new DataOutputStream(found);
            try {
                for (Iterator each = (Iterator) rows; each.hasNext();) {
                    byte[] value = ((InternalRow) each.next()).getBinary(column);
                    values.writeInt(value.length);
                    values.write(value);
                }
            } catch (IOException never) { // in memory
                throw new IllegalStateException(never);
            }
            return found.toByteArray();
        }
    }
}
