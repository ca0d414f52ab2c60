import { assert, describe, it } from "@effect/vitest";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile, replaceFileWith } from "@game-data/contract/node/replaceFile";

const inFolder = (test: (folder: string) => void) => {
  const folder = mkdtempSync(join(tmpdir(), "replace-file-"));
  try {
    test(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

describe("replaceFile", () => {
  it("shows a file when it is whole, and leaves nothing of one that is given up", () =>
    inFolder((folder) => {
      const path = join(folder, "a.csv");
      const file = replaceFile(path);
      file.write("ä");
      file.write(Buffer.from("b"));
      assert.notInclude(readdirSync(folder), "a.csv");
      file.commit();
      file.discard();
      assert.strictEqual(readFileSync(path, "utf8"), "äb");
      const other = replaceFile(path);
      other.write("lost");
      other.discard();
      assert.deepStrictEqual(readdirSync(folder), ["a.csv"]);
      assert.strictEqual(readFileSync(path, "utf8"), "äb");
    }));

  it("replaces a link, not what it leads to, and no link of a guessed name is followed", () =>
    inFolder((folder) => {
      const victim = join(folder, "victim");
      writeFileSync(victim, "precious");
      const path = join(folder, "a.csv");
      symlinkSync(victim, path);
      for (const guess of [`${path}.part`, `${path}.new`, `${path}.${process.pid}.part`])
        symlinkSync(victim, guess);
      replaceFileWith(path, "mine");
      assert.strictEqual(readFileSync(victim, "utf8"), "precious");
      assert.isFalse(statSync(path).isSymbolicLink());
      assert.strictEqual(readFileSync(path, "utf8"), "mine");
    }));

  it("replaces nothing that is no regular file, a link to it included", () =>
    inFolder((folder) => {
      const link = join(folder, "link");
      symlinkSync("/dev/null", link);
      for (const path of [folder, link, "/dev/null"])
        assert.throws(() => replaceFileWith(path, "x"), /is no regular file/u);
      assert.isTrue(statSync("/dev/null").isCharacterDevice());
      assert.deepStrictEqual(readdirSync(folder), ["link"]);
    }));

  it("takes the longest name that a file may have", () =>
    inFolder((folder) => {
      const path = join(folder, "a".repeat(255));
      replaceFileWith(path, "x");
      assert.strictEqual(readFileSync(path, "utf8"), "x");
    }));

  it("is for its owner alone, whatever the file before it was", () =>
    inFolder((folder) => {
      const path = join(folder, "a.json");
      writeFileSync(path, "old");
      chmodSync(path, 0o644);
      replaceFileWith(path, "new");
      assert.strictEqual(statSync(path).mode & 0o777, 0o600);
    }));

  it("has a name that nobody guesses", () =>
    inFolder((folder) => {
      const files = Array.from({ length: 20 }, () => replaceFile(join(folder, "a")));
      assert.strictEqual(new Set(files.map(({ path }) => path)).size, 20);
      for (const { discard, path } of files) {
        assert.match(path, /\.a\.[\w-]{12}\.part$/u);
        discard();
      }
    }));
});
