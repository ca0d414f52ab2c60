/**
 * Formats sources in memory's stead: through a temporary folder and the repository's formatter and
 * its settings.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The same files, as `oxfmt` writes them. */
export const formatted = (files: ReadonlyMap<string, string>): ReadonlyMap<string, string> => {
  const folder = mkdtempSync(join(tmpdir(), "schemas-generate-"));
  try {
    copyFileSync(join(root, ".oxfmtrc.json"), join(folder, ".oxfmtrc.json"));
    for (const [name, source] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), source);
    }
    execFileSync(join(root, "node_modules/.bin/oxfmt"), [folder], { cwd: folder, stdio: "pipe" });
    return new Map(
      [...files.keys()].map((name) => [name, readFileSync(join(folder, name), "utf8")]),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
};
