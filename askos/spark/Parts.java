package askos;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.classic.Dataset;
import scala.collection.Iterator;
import scala.reflect.ClassTag$;
import scala.runtime.AbstractFunction2;

/**
 * Runs a micro-batch and gives one column of what comes out, all of it binary.
 *
 * That is what `DataFrame.collect` does, less what it costs for a few rows: there the rows are
 * planned as a query of their own, and Spark reads its largest classes, byte by byte and twice, to
 * see what the functions need that it sends to the tasks.  A class of its own needs nothing.
 *
 * Janino compiles this, which knows no generics.
 */
public final class Parts {
    private Parts() {}

    public static List collect(Dataset rows, int column) {
        RDD made = rows.queryExecution().toRdd();
        Object[] found = (Object[]) made.sparkContext().runJob(
            made, new Column(column), ClassTag$.MODULE$.apply(byte[][].class));
        List all = new ArrayList();
        for (int i = 0; i < found.length; i++) {
            byte[][] values = (byte[][]) found[i];
            for (int j = 0; j < values.length; j++) {
                all.add(values[j]);
            }
        }
        return all;
    }

    /** What a task gives of its rows. */
    public static final class Column extends AbstractFunction2 implements java.io.Serializable {
        private final int column;

        public Column(int column) {
            this.column = column;
        }

        public Object apply(Object task, Object rows) {
            List found = new ArrayList();
            for (Iterator each = (Iterator) rows; each.hasNext();) {
                found.add(((InternalRow) each.next()).getBinary(column));
            }
            byte[][] values = new byte[found.size()][];
            for (int i = 0; i < values.length; i++) {
                values[i] = (byte[]) found.get(i);
            }
            return values;
        }
    }
}
