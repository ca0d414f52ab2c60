/** Passive-tree links at a prompt. */
import { expect, it } from "vitest";
import { usePrompt } from "./support/gamedata.ts";

const prompt = usePrompt();
const LINK = "AAAABgMCAQABAAA=";
const jsonLines = (text: string) => Array.from(text.matchAll(/.+/gu), ([line]) => JSON.parse(line));

it("tree decode prints the fields of a link, and tree encode returns the link", async () => {
  const link = await prompt.json(["tree", "decode", LINK]);
  expect(link).toEqual({
    version: 6,
    class: 3,
    ascendancy: 2,
    alternateAscendancy: 0,
    hashes: [1],
    extendedHashes: [],
    masteries: [],
  });
  const encoded = await prompt.run("tree encode -", { input: JSON.stringify(link, undefined, 2) });
  expect([encoded.code, encoded.stdout]).toEqual([0, `${LINK}\n`]);
  expect((await prompt.run(["tree", "decode", LINK])).stdout).toMatch(/^class +3 \(witch\)$/mu);
});

it("tree decode exits with 65 and one line of JSON on stderr for a malformed link", async () => {
  const { code, stderr, stdout } = await prompt.run("tree decode AAAABgMC --json");
  expect([code, stdout]).toEqual([65, ""]);
  const place = { unit: "byte", offset: 6, field: "hashes" };
  const error = { code: "BadLink", exitCode: 65, reason: "truncated", ...place };
  expect(jsonLines(stderr)).toMatchObject([{ error }]);
});

it.each([["decode"], ["inspect"], ["convert", "--to", "5"], ["repair"]])(
  "prints a line of JSON for each link of standard input, and reports malformed lines: tree %s",
  async (...verb) => {
    const input = `${LINK}\nbad\n\nBuild: https://www.example.com/passive-skill-tree/${LINK}\n`;
    const { code, stderr, stdout } = await prompt.run(["tree", ...verb, "-"], { input });
    expect(jsonLines(stdout)).toMatchObject([
      { line: 1, payload: LINK },
      { line: 4, payload: LINK },
    ]);
    expect([code, jsonLines(stderr)]).toMatchObject([65, [{ error: { line: 2 } }]]);
  },
);

it("tree decode prints a line of JSON for each of several links in one line", async () => {
  const input = `a: AAAABgMCAAA https://x.example/?a=${LINK} ${LINK}, AAAABgAAAAAA\n`;
  const { code, stdout } = await prompt.run("tree decode -", { input });
  const rows = jsonLines(stdout).map(({ line, payload }) => [line, payload]);
  expect([code, ...rows]).toEqual([65, [1, LINK], [1, "AAAABgAAAAAA"]]);
});

it("tree encode encodes each line of JSON, and names a field that it cannot encode", async () => {
  const decoded = await prompt.run("tree decode -", { input: `${LINK}\n${LINK}\n` });
  const encoded = await prompt.run("tree encode -", { input: decoded.stdout });
  expect(encoded.stdout).toBe(`${LINK}\n${LINK}\n`);
  const { code, stderr } = await prompt.run("tree encode -", { input: '{"version":9}' });
  expect(code).toBe(65);
  expect(stderr).toMatch(/^error: Cannot encode a link: .*version/u);
  const lines = await prompt.run("tree encode -", { input: '{"version":9}\n{"version":9}\n' });
  expect(jsonLines(lines.stderr).map(({ error }) => error.line)).toEqual([1, 2]);
});

it("tree inspect prints the fields of a link as a table, or below each other if it is narrow", async () => {
  const wide = await prompt.run(["tree", "inspect", LINK], { columns: 100 });
  expect(wide.stdout).toMatch(/^field +value +bytes +hex +characters$/mu);
  const narrow = await prompt.run(["tree", "inspect", LINK], { columns: 30 });
  expect(narrow.stdout).toMatch(/^field +version\nvalue +6\n/u);
});

it("tree convert converts a link, and refuses a conversion that loses data", async () => {
  const converted = await prompt.json(["tree", "convert", LINK, "--to", "5"]);
  expect(converted).toEqual({ payload: "AAAABQMCAQABAA==", lost: [] });
  const lossy = ["tree", "convert", "AAAABgMCAQABAQABAA==", "--to", "4"];
  expect(await prompt.error(lossy)).toMatchObject({ code: "ConversionLoses", exitCode: 65 });
  expect((await prompt.run([...lossy, "--accept-loss"])).code).toBe(0);
});

it("tree repair prints repairs of a malformed link, or that the link is sound", async () => {
  const { repairs } = await prompt.json("tree repair AAAABgMCBQhnES0=");
  expect(repairs[0]).toMatchObject({ payload: "AAAABgMCAghnES0AAA==" });
  expect((await prompt.run(["tree", "repair", LINK])).stdout).toBe("The link is sound.\n");
  expect((await prompt.run("tree repair AAAABwAAAAAA")).code).toBe(65);
});
