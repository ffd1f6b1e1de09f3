package askos;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.mapreduce.Job;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.codegen.UnsafeRowWriter;
import org.apache.spark.sql.execution.datasources.FileFormat;
import org.apache.spark.sql.execution.datasources.OutputWriterFactory;
import org.apache.spark.sql.execution.datasources.PartitionedFile;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Function1;
import scala.Option;
import scala.collection.Iterator$;
import scala.collection.immutable.Map;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;

/**
 * Files as rows of their paths, as Spark's `binaryFile` has them, and nothing else.
 *
 * Whoever opens a file needs all of Hadoop's settings, which Spark's formats broadcast for every
 * source and micro-batch.  These files are opened elsewhere.
 *
 * Janino compiles this, which knows no generics.
 */
public class Paths implements FileFormat, java.io.Serializable {
    public Option inferSchema(SparkSession session, Map options, Seq files) {
        return Option.empty(); // whoever asks says it: path string
    }

    public OutputWriterFactory prepareWrite(
            SparkSession session, Job job, Map options, StructType schema) {
        throw new UnsupportedOperationException("paths are read only");
    }

    public Function1 buildReaderWithPartitionValues(
            SparkSession session, StructType data, StructType partitions, StructType required,
            Seq filters, Map options, Configuration settings) {
        return new Reader();
    }

    /** The one row of a file. */
    public static final class Reader extends AbstractFunction1 implements java.io.Serializable {
        public Object apply(Object file) {
            UnsafeRowWriter row = new UnsafeRowWriter(1);
            row.resetRowWriter();
            row.write(0, UTF8String.fromString(((PartitionedFile) file).toPath().toString()));
            return Iterator$.MODULE$.single(row.getRow());
        }
    }
}
