import { assert, describe, it } from "@effect/vitest";
import { csvLine } from "@game-data/contract/csv";

describe("csvLine", () => {
  it("quotes as RFC 4180 does, and leaves numbers and words alone", () => {
    assert.strictEqual(
      csvLine(["Ada", 'a "b", c', "x\ny", -1, 1.5, true, null, undefined]),
      'Ada,"a ""b"", c","x\ny",-1,1.5,true,,\r\n',
    );
  });

  it("holds a cell together where the list separator is another", () => {
    assert.strictEqual(csvLine(["a;=1+1", "a\t=1"]), '"a;=1+1","a\t=1"\r\n');
  });

  it("puts an apostrophe before what a spreadsheet would run", () => {
    for (const text of ["=cmd|'/C calc'!A0", "+1", "-1", "@SUM(A1)", " =1", "\uff1d1"])
      assert.strictEqual(csvLine([text]), `'${text}\r\n`);
    assert.strictEqual(csvLine(["\u200b=1"]), "'\\u{200b}=1\r\n");
    assert.strictEqual(csvLine(["\t=1"]), '"\'\t=1"\r\n');
    assert.strictEqual(csvLine(["\r=1"]), '"\'\r=1"\r\n');
  });

  it("escapes control characters, which a terminal would obey", () => {
    assert.strictEqual(csvLine(["\u001b]0;x\u0007\u009b2J"]), '"\\u{1b}]0;x\\u{7}\\u{9b}2J"\r\n');
  });

  it("escapes characters that turn a line or show nothing", () => {
    assert.strictEqual(
      csvLine(["a\u202eb\u2066c\u200bd\u2028e"]),
      "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{2028}e\r\n",
    );
  });

  it("keeps every text as it is where it is raw", () => {
    assert.strictEqual(csvLine(["=1", "\u001b[31m"], true), "=1,\u001b[31m\r\n");
  });
});
