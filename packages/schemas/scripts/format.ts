/** Generated files: formatted as the repository's formatter does it, compared, and written. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The same files, as `oxfmt` writes them. */
export const formatted = (files: Files): Files => {
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

type Files = ReadonlyMap<string, string>;

/** The files below an address that are not as they are given. */
export const staleOf = (home: URL, files: Files): ReadonlyArray<string> =>
  [...files.keys()].filter((path) => {
    const file = new URL(path, home);
    return !existsSync(file) || readFileSync(file, "utf8") !== files.get(path);
  });

/** Writes what is stale; with `--check` names it instead, and fails. */
export const writeOrCheck = (home: URL, files: Files): void => {
  const isCheck = process.argv.includes("--check");
  for (const path of staleOf(home, files)) {
    const file = new URL(path, home);
    if (isCheck) {
      console.error(`stale: ${fileURLToPath(file)}`);
      process.exitCode = 1;
    } else {
      mkdirSync(new URL(".", file), { recursive: true });
      writeFileSync(file, files.get(path)!);
    }
  }
};
