import { afterAll, assert, describe, expect, it } from "@effect/vitest";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile, replaceFileWith } from "@game-data/contract/node/replaceFile";

const root = fs.mkdtempSync(join(tmpdir(), "replace-file-"));
afterAll(() => fs.rmSync(root, { recursive: true }));
const makeFolder = () => fs.mkdtempSync(join(root, "run-"));
const read = (path: string) => fs.readFileSync(path, "utf8");

describe("replaceFile", () => {
  it("replaceFile shows only a complete file, and leaves no file if the caller does not commit", () => {
    const folder = makeFolder();
    const path = join(folder, "a.csv");
    const file = replaceFile(path);
    assert.match(file.path, /\.a\.csv\.[\w-]{12}\.part$/u);
    file.write("ä");
    file.write(Buffer.from("b"));
    assert.notInclude(fs.readdirSync(folder), "a.csv");
    file.commit();
    assert.throws(() => file.write("late"));
    file.discard();
    assert.strictEqual(read(path), "äb");
    const other = replaceFile(path);
    other.write("lost");
    other.discard();
    assert.deepStrictEqual(fs.readdirSync(folder), ["a.csv"]);
    assert.strictEqual(read(path), "äb");
  });

  it("replaceFile replaces a link but not its target, and follows no link at a guessable temporary name", () => {
    const folder = makeFolder();
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

  it("replaceFile refuses a folder, a device, and a link to a device", () => {
    const folder = makeFolder();
    const link = join(folder, "link");
    fs.symlinkSync("/dev/null", link);
    for (const path of [folder, link, "/dev/null"]) {
      const error = { message: `${path} is not a regular file.`, code: "EINVAL" };
      expect(() => replaceFileWith(path, "x")).toThrow(expect.objectContaining(error));
    }
    assert.isTrue(fs.statSync("/dev/null").isCharacterDevice());
    assert.deepStrictEqual(fs.readdirSync(folder), ["link"]);
  });

  it("replaceFile makes a file that only its owner can read, whatever the mode of the old file", () => {
    // The longest name that a file may have.
    const path = join(makeFolder(), "a".repeat(255));
    fs.writeFileSync(path, "old");
    fs.chmodSync(path, 0o644);
    replaceFileWith(path, "new");
    assert.strictEqual(fs.statSync(path).mode & 0o777, 0o600);
    // As a library does that writes to the path.
    const file = replaceFile(path);
    fs.rmSync(file.path);
    fs.writeFileSync(file.path, "newer", { mode: 0o644 });
    file.commit();
    assert.strictEqual(fs.statSync(path).mode & 0o777, 0o600);
  });
});
