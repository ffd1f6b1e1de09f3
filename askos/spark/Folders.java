package askos;

import java.io.File;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.streaming.ReadAllAvailable;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.streaming.Offset;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSource;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSourceLog;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSourceOffset;
import org.apache.spark.sql.execution.streaming.runtime.SerializedOffset;
import org.apache.spark.sql.sources.StreamSourceProvider;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.Some;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Nil$;
import scala.jdk.javaapi.CollectionConverters;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/**
 * The files of several folders as one source of a stream: which folder, by its number, and a path.
 *
 * Each folder is watched by Spark's own source of files, which finds what is new, limits how much of
 * it a micro-batch takes, and keeps its log; the logs are beside each other in the folder of this
 * source, and its offsets are lists of theirs.  What is left out is that every source makes a query
 * of its own of its files in every micro-batch, and that each is planned, and run, as a branch of
 * the whole.
 *
 * The options of a folder begin with its number: `0.path`, `0.maxFilesPerTrigger`, `1.path`.
 *
 * Janino compiles this, which knows no generics.
 */
public final class Folders implements StreamSourceProvider {
    private static final long SMALL = 256 << 10; // bytes that a second task would not gain from
    private static final StructType SCHEMA = StructType.fromDDL("folder int, path string");

    public Tuple2 sourceSchema(SQLContext context, Option schema, String name, Map options) {
        return new Tuple2(name, SCHEMA);
    }

    public Source createSource(
            SQLContext context, String log, Option schema, String name, Map options) {
        try {
            return new Together((SparkSession) context.sparkSession(), log, options);
        } catch (ReflectiveOperationException other) {
            throw new IllegalStateException("a Spark whose sources of files have no log", other);
        }
    }

    /** As much as each folder allows. */
    private static final class EachItsOwn implements ReadLimit {}

    private static final class Together implements Source, SupportsTriggerAvailableNow {
        private final SparkSession session;
        private final FileStreamSource[] folders;
        private final FileStreamSourceLog[] logs;
        private final String[] paths;

        Together(SparkSession session, String log, Map options) throws ReflectiveOperationException {
            int count = Integer.parseInt((String) options.apply("folders"));
            this.session = session;
            folders = new FileStreamSource[count];
            logs = new FileStreamSourceLog[count];
            paths = new String[count];
            Method own = FileStreamSource.class.getDeclaredMethod("metadataLog", new Class[0]);
            own.setAccessible(true); // it remembers what it wrote last, and another would read it
            for (int i = 0; i < count; i++) {
                java.util.Map chosen = of(i, options);
                paths[i] = (String) chosen.get("path");
                folders[i] = new FileStreamSource(
                    session, paths[i], "binaryFile", SCHEMA, Nil$.MODULE$, log + "/" + i,
                    Map$.MODULE$.from(CollectionConverters.asScala(chosen)));
                logs[i] = (FileStreamSourceLog) own.invoke(folders[i], new Object[0]);
            }
        }

        private static java.util.Map of(int folder, Map options) {
            java.util.Map found = new HashMap();
            String begin = folder + ".";
            for (Iterator each = options.iterator(); each.hasNext();) {
                Tuple2 option = (Tuple2) each.next();
                if (((String) option._1()).startsWith(begin)) {
                    found.put(((String) option._1()).substring(begin.length()), option._2());
                }
            }
            return found;
        }

        public StructType schema() {
            return SCHEMA;
        }

        /** A list in JSON of what Spark calls each. */
        public String toString() {
            StringBuilder names = new StringBuilder("Folders[");
            for (int i = 0; i < folders.length; i++) {
                String name = folders[i].toString().replace("\\", "\\\\").replace("\"", "\\\"");
                names.append(i == 0 ? "\"" : ", \"").append(name).append('"');
            }
            return names.append(']').toString();
        }

        // ---- how far ---------------------------------------------------------------------------

        public Option getOffset() {
            throw new UnsupportedOperationException("sources with limits are asked by latestOffset");
        }

        public ReadLimit getDefaultReadLimit() {
            return new EachItsOwn();
        }

        public void prepareForTriggerAvailableNow() {
            for (int i = 0; i < folders.length; i++) {
                folders[i].prepareForTriggerAvailableNow();
            }
        }

        public org.apache.spark.sql.connector.read.streaming.Offset latestOffset(
                org.apache.spark.sql.connector.read.streaming.Offset before, ReadLimit limit) {
            long[] until = new long[folders.length];
            boolean some = false;
            for (int i = 0; i < folders.length; i++) {
                ReadLimit own = limit instanceof ReadAllAvailable
                    ? limit : folders[i].getDefaultReadLimit();
                Object found = folders[i].latestOffset(null, own);
                until[i] = found == null ? -1 : ((FileStreamSourceOffset) found).logOffset();
                some |= found != null;
            }
            return some ? new SerializedOffset(Arrays.toString(until)) : null;
        }

        private long[] read(Offset offset) {
            String[] parts = offset.json().replaceAll("[\\[\\] ]", "").split(",");
            if (parts.length != folders.length) {
                throw new IllegalStateException(
                    "There are [" + parts.length + "] sources in the checkpoint offsets and now"
                    + " there are [" + folders.length + "] sources requested by the query.");
            }
            long[] found = new long[parts.length];
            for (int i = 0; i < parts.length; i++) {
                found[i] = Long.parseLong(parts[i]);
            }
            return found;
        }

        // ---- which files -----------------------------------------------------------------------

        public Dataset getBatch(Option before, Offset end) {
            long[] until = read(end), done = new long[until.length];
            Arrays.fill(done, -1);
            if (before.isDefined()) {
                done = read((Offset) before.get());
            }
            List files = new ArrayList();
            for (int i = 0; i < folders.length; i++) {
                if (done[i] < until[i]) {
                    add(i, done[i] + 1, until[i], files);
                }
            }
            return session.internalCreateDataFrame(rows(files), SCHEMA, true);
        }

        private void add(int folder, long first, long last, List files) {
            Tuple2[] batches =
                logs[folder].get(new Some(Long.valueOf(first)), new Some(Long.valueOf(last)));
            for (int i = 0; i < batches.length; i++) {
                Object[] found = (Object[]) batches[i]._2();
                for (int j = 0; j < found.length; j++) {
                    Path path = ((FileStreamSource.FileEntry) found[j]).sparkPath().toPath();
                    checkBelow(folder, path.toString());
                    files.add(new NewFile(folder, path));
                }
            }
        }

        /** Refuse what was read of another folder, in the words in which Spark does. */
        private void checkBelow(int folder, String file) {
            String name = folders[folder].toString();
            String base = name.substring(name.indexOf('[') + 1, name.length() - 1);
            boolean pattern = SparkHadoopUtil.get().isGlobPath(new Path(paths[folder]));
            if (!pattern && !file.startsWith(base + "/")) {
                throw new IllegalArgumentException(
                    "Wrong basePath " + paths[folder] + " for the root path: " + file);
            }
        }

        private RDD rows(List files) {
            SparkContext context = session.sparkContext();
            ClassTag kind = ClassTag$.MODULE$.apply(InternalRow.class);
            if (files.isEmpty()) {
                return context.emptyRDD(kind);
            }
            int tasks = tasks(files, context.defaultParallelism());
            List rows = new ArrayList();
            for (Object file : dealt(files, tasks)) {
                rows.add(((NewFile) file).row());
            }
            return context.parallelize(CollectionConverters.asScala(rows).toSeq(), tasks, kind);
        }

        /** How many tasks read them: one is enough for a few small files. */
        private static int tasks(List files, int most) {
            long bytes = 0;
            for (Object file : files) {
                bytes += ((NewFile) file).size;
            }
            return (int) Math.min(Math.min(files.size(), most), 1 + bytes / SMALL);
        }

        /**
         * The files in an order in which tasks that take equally many, one task after the other,
         * have about as much to read: the largest go first, each to who has the least and room.
         */
        private static List dealt(List files, int tasks) {
            List[] of = new List[tasks];
            long[] bytes = new long[tasks];
            for (int i = 0; i < tasks; i++) {
                of[i] = new ArrayList();
            }
            List sorted = new ArrayList(files);
            Collections.sort(sorted);
            for (Object file : sorted) {
                int least = -1;
                for (int i = 0; i < tasks; i++) {
                    int room = (i + 1) * files.size() / tasks - i * files.size() / tasks;
                    if (of[i].size() < room && (least < 0 || bytes[i] < bytes[least])) {
                        least = i;
                    }
                }
                of[least].add(file);
                bytes[least] += ((NewFile) file).size;
            }
            List all = new ArrayList();
            for (int i = 0; i < tasks; i++) {
                all.addAll(of[i]);
            }
            return all;
        }

        public void stop() {
            for (int i = 0; i < folders.length; i++) {
                folders[i].stop();
            }
        }
    }

    /** A file to be read; the larger one comes first. */
    private static final class NewFile implements Comparable {
        final int folder;
        final Path path;
        final long size;

        NewFile(int folder, Path path) {
            this.folder = folder;
            this.path = path;
            this.size = new File(path.toUri().getPath()).length();
        }

        InternalRow row() {
            UTF8String name = UTF8String.fromString(path.toString());
            return new GenericInternalRow(new Object[] {Integer.valueOf(folder), name});
        }

        public int compareTo(Object other) {
            return Long.compare(((NewFile) other).size, size);
        }
    }
}
