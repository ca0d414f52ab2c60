import { assert, describe, it } from "vitest";
import { csvLine } from "@game-data/stream-follower/csv";

describe("csvLine", () => {
  it.each<[what: string, cells: Parameters<typeof csvLine>[0], line: string]>([
    [
      "quotes as RFC 4180 does, and leaves numbers and words alone",
      ["Ada", 'a "b", c', "x\ny", -1, 1.5, true, null, undefined],
      'Ada,"a ""b"", c","x\ny",-1,1.5,true,,',
    ],
    [
      "quotes semicolons and tabs, at which spreadsheets separate cells",
      ["a;=1+1", "a\t=1"],
      '"a;=1+1","a\t=1"',
    ],
    ["puts an apostrophe before a formula behind a tab", ["\t=1", "\r=1"], '"\'\t=1","\'\r=1"'],
    ["escapes an invisible character before a formula", ["\u200b=1"], "'\\u{200b}=1"],
    [
      "escapes control characters, which a terminal would obey",
      ["\u001b]0;x\u0007\u009b2J"],
      '"\\u{1b}]0;x\\u{7}\\u{9b}2J"',
    ],
    [
      "escapes bidirectional and invisible characters",
      ["a\u202eb\u2066c\u200bd\u2028e"],
      "a\\u{202e}b\\u{2066}c\\u{200b}d\\u{2028}e",
    ],
  ])("csvLine writes a line for spreadsheets, and %s", (_, cells, line) =>
    assert.strictEqual(csvLine(cells), `${line}\r\n`),
  );

  it.each(["=cmd|'/C calc'!A0", "+1", "-1", "@SUM(A1)", " =1", "\uff1d1"])(
    "csvLine puts an apostrophe before %j, which a spreadsheet would run",
    (text) => assert.strictEqual(csvLine([text]), `'${text}\r\n`),
  );

  it("csvLine keeps every text as it is if isRaw is true", () => {
    assert.strictEqual(csvLine(["=1", "\u001b[31m"], true), "=1,\u001b[31m\r\n");
  });
});
