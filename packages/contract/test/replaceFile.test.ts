import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile, replaceFileWith } from "@game-data/contract/node/replaceFile";

let folder: string;
beforeEach(() => void (folder = fs.mkdtempSync(join(tmpdir(), "replace-file-"))));
afterEach(() => fs.rmSync(folder, { recursive: true }));
const read = (path: string) => fs.readFileSync(path, "utf8");

describe("replaceFile", () => {
  it("shows a file when it is whole, and leaves nothing of one that is given up", () => {
    const path = join(folder, "a.csv");
    const file = replaceFile(path);
    file.write("ä");
    file.write(Buffer.from("b"));
    assert.notInclude(fs.readdirSync(folder), "a.csv");
    file.commit();
    file.discard();
    assert.strictEqual(read(path), "äb");
    const other = replaceFile(path);
    other.write("lost");
    other.discard();
    assert.deepStrictEqual(fs.readdirSync(folder), ["a.csv"]);
    assert.strictEqual(read(path), "äb");
  });

  it("replaces a link, not what it leads to, and no link of a guessed name is followed", () => {
    const victim = join(folder, "victim");
    fs.writeFileSync(victim, "precious");
    const path = join(folder, "a.csv");
    fs.symlinkSync(victim, path);
    for (const guess of [`${path}.part`, `${path}.new`, `${path}.${process.pid}.part`])
      fs.symlinkSync(victim, guess);
    replaceFileWith(path, "mine");
    assert.strictEqual(read(victim), "precious");
    assert.isFalse(fs.statSync(path).isSymbolicLink());
    assert.strictEqual(read(path), "mine");
  });

  it("replaces nothing that is no regular file, a link to it included", () => {
    const link = join(folder, "link");
    fs.symlinkSync("/dev/null", link);
    for (const path of [folder, link, "/dev/null"])
      assert.throws(() => replaceFileWith(path, "x"), /is no regular file/u);
    assert.isTrue(fs.statSync("/dev/null").isCharacterDevice());
    assert.deepStrictEqual(fs.readdirSync(folder), ["link"]);
  });

  it("takes the longest name that a file may have", () => {
    const path = join(folder, "a".repeat(255));
    replaceFileWith(path, "x");
    assert.strictEqual(read(path), "x");
  });

  it("is for its owner alone, whatever the file before it was", () => {
    const path = join(folder, "a.json");
    fs.writeFileSync(path, "old");
    fs.chmodSync(path, 0o644);
    replaceFileWith(path, "new");
    assert.strictEqual(fs.statSync(path).mode & 0o777, 0o600);
  });

  it("has a name that nobody guesses", () => {
    const files = Array.from({ length: 20 }, () => replaceFile(join(folder, "a")));
    assert.strictEqual(new Set(files.map(({ path }) => path)).size, 20);
    for (const { discard, path } of files) {
      assert.match(path, /\.a\.[\w-]{12}\.part$/u);
      discard();
    }
  });
});
