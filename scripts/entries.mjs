// The entries of a package, as a consumer imports them.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The paths of `exports` with their targets; a pattern becomes an entry for each of its files. */
export const entriesOf = (folder) => {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const patterns = Object.entries(exports).flatMap(([path, target]) => {
    if (!path.includes("*")) return [[path, target]];
    const [before, after] = target.replace("./", "").split("*");
    return globSync(`${before}*${after}`, { cwd: folder })
      .toSorted()
      .map((file) => file.slice(before.length, -after.length))
      .map((name) => [path.replace("*", name), target.replace("*", name)]);
  });
  // A path of its own wins over a pattern that would match it.
  return new Map([...patterns, ...Object.entries(exports).filter(([path]) => !path.includes("*"))]);
};
