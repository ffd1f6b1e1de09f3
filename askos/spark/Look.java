package askos;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSource;
import org.apache.spark.sql.execution.streaming.runtime.FileStreamSourceOffset;

/**
 * The last look into a folder.
 *
 * Spark looks at every file of it, a hundred times a second while there is nothing to do, and
 * again in every micro-batch.  A folder says when a file last came or went: if that was before
 * the last look, which found nothing new, there is nothing new.  One with folders below it is
 * not believed, nor one that has changed just now: clocks of files tick slowly.  What a link
 * leads to nobody tells, so none is believed for long.
 *
 * Janino compiles this, which knows no generics.
 */
final class Look {
    private static final long DOUBT = 50, BELIEF = 500; // milliseconds
    private static final Integer NONE_BELOW = Integer.valueOf(2); // its name, and its own dot
    private final File folder;
    private long changed = -1, looked = 0, until = -1;

    Look(String path) {
        Path found = new Path(path);
        boolean pattern = SparkHadoopUtil.get().isGlobPath(found);
        folder = new File((pattern ? found.getParent() : found).toUri().getPath());
    }

    /** How far the log of a source goes now; -1 if it is empty. */
    long until(FileStreamSource source, ReadLimit limit) {
        long now = System.currentTimeMillis(), last = folder.lastModified();
        boolean same = last != 0 && last == changed && last + DOUBT < looked;
        if (same && looked <= now && now < looked + BELIEF) {
            return until;
        }
        Object found = source.latestOffset(null, limit);
        long reached = found == null ? -1 : ((FileStreamSourceOffset) found).logOffset();
        boolean all = reached == until; // what is new may be more than the limit
        changed = all && hasNoneBelow() ? last : -1;
        looked = now;
        until = reached;
        return until;
    }

    private boolean hasNoneBelow() {
        try {
            LinkOption[] followed = new LinkOption[0];
            return NONE_BELOW.equals(Files.getAttribute(folder.toPath(), "unix:nlink", followed));
        } catch (IOException gone) {
            return false;
        } catch (UnsupportedOperationException elsewhere) {
            return false;
        } catch (IllegalArgumentException elsewhere) {
            return false;
        }
    }
}
