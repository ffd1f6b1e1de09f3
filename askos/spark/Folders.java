package askos;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.SQLContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.plans.physical.HashPartitioning;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.catalyst.plans.physical.UnknownPartitioning;
import org.apache.spark.sql.catalyst.types.DataTypeUtils;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.Dataset$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connector.read.streaming.ReadAllAvailable;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.sql.execution.LogicalRDD;
import org.apache.spark.sql.execution.streaming.Offset;
import org.apache.spark.sql.execution.streaming.Source;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSource;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSourceLog;
import org.apache.spark.sql.execution.streaming.runtime.SerializedOffset;
import org.apache.spark.sql.sources.StreamSourceProvider;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.unsafe.hash.Murmur3_x86_32;
import org.apache.spark.unsafe.types.UTF8String;
import scala.Option;
import scala.Some;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.immutable.Map;
import scala.collection.immutable.Map$;
import scala.collection.immutable.Nil$;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The files of several folders as one source of a stream: packed rows, as stages take them.
 *
 * Each folder is watched by Spark's own source of files, which finds what is new, limits how much of
 * it a micro-batch takes, and keeps its log; the logs are beside each other in the folder of this
 * source, and its offsets are lists of theirs.  What is left out is that every source makes a query
 * of its own of its files in every micro-batch, and that each is planned, and run, as a branch of
 * the whole.
 *
 * Who packs is decided in each micro-batch, by how much there is.  Little is left to the stages: the
 * row of each bucket says which files are new, in the very partition where the bucket is, so that
 * nothing is shuffled.  Else tasks of their own read the files, as `packing` has it: a plan, made by
 * Python, whose only leaf has the files as rows (folder, path).
 *
 * The options of a folder begin with its number: `0.path`, `0.maxFilesPerTrigger`, `1.path`.  The
 * others are `folders`, how many there are; `packing`, the name of that plan; `partitions`;
 * `buckets`, the ids of the first stages'; and `little`, how many bytes are, 0 where stages cannot
 * read.
 *
 * Janino compiles this, which knows no generics.
 */
public final class Folders implements StreamSourceProvider {
    private static final long SMALL = 256 << 10; // bytes that a second task would not gain from
    private static final int FILES = -11, TOLD = -1; // a port and a stage, as Python knows them
    private static final java.util.Map PACKING = new ConcurrentHashMap();

    /** Keep how the files of a checkpoint are packed, until somebody says it anew. */
    public static void pack(String name, Dataset packing) {
        PACKING.put(name, packing);
    }

    private static Dataset packing(Map options) {
        return (Dataset) PACKING.get(options.apply("packing"));
    }

    public Tuple2 sourceSchema(SQLContext context, Option schema, String name, Map options) {
        return new Tuple2(name, packing(options).schema());
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
        private final Look[] looks;
        private final String[] paths;
        private final LogicalPlan packing;
        private final StructType schema;
        private final List[] buckets; // by partition
        private final long little;

        Together(SparkSession session, String log, Map options) throws ReflectiveOperationException {
            int count = Integer.parseInt((String) options.apply("folders"));
            this.session = session;
            Rows.prepare(session);
            packing = packing(options).queryExecution().analyzed();
            schema = packing(options).schema();
            little = Long.parseLong((String) options.apply("little"));
            buckets = lists(Integer.parseInt((String) options.apply("partitions")));
            String[] ids = ((String) options.apply("buckets")).split(",");
            for (int i = 0; i < ids.length; i++) { // as Spark's shuffle does
                int hash = Murmur3_x86_32.hashInt(Integer.parseInt(ids[i]), 42);
                buckets[Math.floorMod(hash, buckets.length)].add(Integer.valueOf(ids[i]));
            }
            folders = new FileStreamSource[count];
            logs = new FileStreamSourceLog[count];
            looks = new Look[count];
            paths = new String[count];
            Method own = FileStreamSource.class.getDeclaredMethod("metadataLog", new Class[0]);
            own.setAccessible(true); // it remembers what it wrote last, and another would read it
            for (int i = 0; i < count; i++) {
                java.util.Map chosen = of(i, options);
                paths[i] = (String) chosen.get("path");
                looks[i] = new Look(paths[i]);
                folders[i] = new FileStreamSource(
                    session, paths[i], "binaryFile", schema, Nil$.MODULE$, log + "/" + i,
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
            return schema;
        }

        /** A list in JSON of what Spark calls each. */
        public String toString() {
            String[] names = new String[folders.length];
            for (int i = 0; i < folders.length; i++) {
                names[i] = folders[i].toString();
            }
            try {
                return "Folders" + new ObjectMapper().writeValueAsString(names);
            } catch (IOException never) { // of texts
                throw new IllegalStateException(never);
            }
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
                until[i] = looks[i].until(folders[i], own);
                some |= until[i] >= 0;
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

        public org.apache.spark.sql.Dataset getBatch(Option before, Offset end) {
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
            return Dataset$.MODULE$.ofRows(session, packed(files));
        }

        private LogicalPlan packed(List files) {
            long bytes = 0;
            for (Object file : files) {
                bytes += ((NewFile) file).size;
            }
            boolean direct = little > 0 && !files.isEmpty() && bytes <= little;
            return direct ? byStages(files) : byTasks(files, bytes, packing);
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

        /** The plan that packs them, with the files for its leaf. */
        private LogicalPlan byTasks(List files, long bytes, LogicalPlan plan) {
            if (plan.children().isEmpty()) {
                int most = Math.min(files.size(), session.sparkContext().defaultParallelism());
                int tasks = (int) Math.min(most, 1 + bytes / SMALL);
                return rows(plan.output(), dealt(files, tasks), new UnknownPartitioning(0));
            }
            LogicalPlan below = byTasks(files, bytes, (LogicalPlan) plan.children().head());
            return (LogicalPlan) plan.withNewChildren(listed(Collections.singletonList(below)));
        }

        /** A row for each bucket, where Spark would send it. */
        private LogicalPlan byStages(List files) {
            byte[] named = named(files);
            List[] rows = lists(buckets.length);
            for (int i = 0; i < rows.length; i++) {
                for (Object bucket : buckets[i]) {
                    rows[i].add(new GenericInternalRow(new Object[] {
                        bucket, Integer.valueOf(FILES), UTF8String.EMPTY_UTF8, Long.valueOf(0),
                        named, Integer.valueOf(TOLD)}));
                }
            }
            Seq output = DataTypeUtils.toAttributes(schema);
            Seq key = listed(Collections.singletonList(output.head()));
            return rows(output, rows, new HashPartitioning(key, rows.length));
        }

        /** Of each file its folder, and its path after its length. */
        private static byte[] named(List files) {
            ByteArrayOutputStream found = new ByteArrayOutputStream();
            DataOutputStream values = new DataOutputStream(found);
            try {
                for (Object file : files) {
                    byte[] path = ((NewFile) file).path.toString().getBytes(StandardCharsets.UTF_8);
                    values.writeInt(((NewFile) file).folder);
                    values.writeInt(path.length);
                    values.write(path);
                }
            } catch (IOException never) { // in memory
                throw new IllegalStateException(never);
            }
            return found.toByteArray();
        }

        /** Rows, those of each partition in a list. */
        private LogicalPlan rows(Seq output, List[] rows, Partitioning where) {
            Option none = Option.empty();
            LogicalPlan found = new LogicalRDD(
                output, new Rows(session.sparkContext(), rows), where, Nil$.MODULE$, true, none,
                session, none, none, false);
            found.setAnalyzed(); // so it is, and Spark need not see to it
            return found;
        }

        private static Seq listed(List values) {
            return CollectionConverters.asScala(values).toSeq();
        }

        /** The files of each task, as rows: the largest go first, each to who has the least. */
        private static List[] dealt(List files, int tasks) {
            List[] of = lists(tasks);
            long[] bytes = new long[tasks];
            Collections.sort(files);
            for (Object file : files) {
                int least = 0;
                for (int i = 1; i < tasks; i++) {
                    least = bytes[i] < bytes[least] ? i : least;
                }
                of[least].add(((NewFile) file).row());
                bytes[least] += ((NewFile) file).size;
            }
            return of;
        }

        private static List[] lists(int count) {
            List[] found = new List[count];
            for (int i = 0; i < count; i++) {
                found[i] = new ArrayList();
            }
            return found;
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
