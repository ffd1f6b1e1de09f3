package askos;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

/**
 * Hadoop's local file system, less what it costs: permissions are set by a system call instead of a
 * process `chmod` for every file, and no file of checksums is written beside each.
 *
 * Janino compiles this, which knows no generics.
 */
public class LocalFiles extends LocalFileSystem {
    public LocalFiles() {
        super(new Raw());
        setWriteChecksum(false);
    }

    /**
     * Forget the settings that a file of defaults has made, and nobody else.  Spark writes all there
     * are into a broadcast for every file source and state store of a micro-batch, each compressed by
     * itself.
     */
    public static void forget(Configuration settings, String file) {
        Configuration all = new Configuration(settings);
        for (Iterator each = all.iterator(); each.hasNext();) {
            String name = (String) ((Map.Entry) each.next()).getKey();
            String[] from = all.getPropertySources(name);
            if (from != null && from.length == 1 && from[0].equals(file)) {
                settings.unset(name);
            }
        }
    }

    /**
     * What is accepted of a folder, of which nothing else is looked at.  Spark lists its logs of
     * hundreds of files in every micro-batch, to find by their names which may be removed.
     */
    public FileStatus[] listStatus(Path folder, PathFilter accepted) throws IOException {
        String[] names = pathToFile(folder).list();
        if (names == null) { // no folder
            return super.listStatus(folder, accepted);
        }
        List found = new ArrayList();
        for (int i = 0; i < names.length; i++) {
            Path each = new Path(folder, new Path(null, null, names[i]));
            if (!isChecksumFile(each) && accepted.accept(each)) {
                try {
                    found.add(getFileStatus(each));
                } catch (FileNotFoundException gone) { // since the folder was listed
                    continue;
                }
            }
        }
        return (FileStatus[]) found.toArray(new FileStatus[found.size()]);
    }

    /** The files below the checksums. */
    public static class Raw extends RawLocalFileSystem {
        public void setPermission(Path path, FsPermission wanted) throws IOException {
            PosixFilePermission[] all = PosixFilePermission.values(); // owner reads .. others execute
            Set given = EnumSet.noneOf(PosixFilePermission.class);
            for (int i = 0; i < all.length; i++) {
                if ((wanted.toShort() & 0400 >> i) != 0) {
                    given.add(all[i]);
                }
            }
            try {
                Files.setPosixFilePermissions(pathToFile(path).toPath(), given);
            } catch (NoSuchFileException gone) {
                throw new FileNotFoundException(path.toString());
            }
        }
    }
}
