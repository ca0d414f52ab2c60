/**
 * Records the tour as an animated SVG, the picture of the README.
 *
 * ```sh
 * node apps/tour/scripts/cast.ts docs/tour.svg
 * ```
 *
 * Each line scrolls in at a pace for readers, not at the pace of the machine that recorded it. The
 * animation is CSS, so an `<img>` plays it; who prefers reduced motion sees the last screen.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const COLUMNS = 100;
const ROWS = 32;
const CELL = { width: 8.4, height: 18 };
const PADDING = 14;
/** Seconds that a line stays the last one: text, the result of a step, the end. */
const PAUSES = { text: 0.12, result: 1.1, end: 4 };

const COLORS: Readonly<Record<string, string>> = {
  "31": "#ff8b8b",
  "32": "#7bd88f",
  "33": "#f2c86b",
  "36": "#78dce8",
};

interface Style {
  readonly color?: string;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
}

/** The style after an escape sequence that sets attributes (SGR). */
const applySgr = (style: Style, code: string): Style => {
  if (code === "0") return {};
  if (code === "1") return { ...style, isBold: true };
  if (code === "2") return { ...style, isDim: true };
  if (code === "22") return { ...style, isBold: false, isDim: false };
  if (code === "39") return { isBold: style.isBold ?? false, isDim: style.isDim ?? false };
  const color = COLORS[code];
  return color === undefined ? style : { ...style, color };
};

/** Splits a line into runs of one style, cut off at the last column. */
const runsOf = (line: string): ReadonlyArray<{ text: string; column: number; style: Style }> => {
  const runs = [];
  let style: Style = {};
  let column = 0;
  // oxlint-disable-next-line no-control-regex
  for (const part of line.split(/(\u001B\[[\d;]*m)/u)) {
    // oxlint-disable-next-line no-control-regex
    const codes = /^\u001B\[([\d;]*)m$/u.exec(part)?.[1];
    if (codes !== undefined) {
      style = codes.split(";").reduce(applySgr, style);
      continue;
    }
    const room = COLUMNS - column;
    const characters = [...stripVTControlCharacters(part)];
    const shown = characters.length > room ? [...characters.slice(0, room - 1), "…"] : characters;
    const text = shown.join("");
    if (text.trim() !== "") runs.push({ text, column, style });
    column += shown.length;
    if (column >= COLUMNS) break;
  }
  return runs;
};

const escapeXml = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
const round = (value: number) => Number(value.toFixed(1));

/** A run as text whose width is set: fonts differ, columns must not. */
const drawRun = ({ column, style, text }: ReturnType<typeof runsOf>[number], row: number) => {
  const lead = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const x = round((column + lead) * CELL.width);
  const width = round([...trimmed].length * CELL.width);
  const classes = [style.isBold === true ? "b" : "", style.isDim === true ? "d" : ""].join("");
  const attributes = [
    `x="${x}" y="${(row + 1) * CELL.height - 5}" textLength="${width}"`,
    ...(classes === "" ? [] : [`class="${classes}"`]),
    ...(style.color === undefined ? [] : [`fill="${style.color}"`]),
  ];
  return `<text ${attributes.join(" ")}>${escapeXml(trimmed)}</text>`;
};

const recorded = execFileSync(process.execPath, [join(import.meta.dirname, "../src/main.ts")], {
  encoding: "utf8",
  env: { ...process.env, FORCE_COLOR: "1" },
});
const lines = recorded.trim().split("\n");
const isResult = (line: string) => stripVTControlCharacters(line).startsWith("✓");
const pauses = lines.map((line, i) =>
  i === lines.length - 1 ? PAUSES.end : isResult(line) ? PAUSES.result : PAUSES.text,
);
const seconds = pauses.reduce((sum, pause) => sum + pause, 0);

let elapsed = 0;
const steps = lines.map((_, i) => {
  const percent = ((elapsed / seconds) * 100).toFixed(2);
  elapsed += pauses[i]!;
  return `${percent}%{transform:translateY(${(ROWS - i - 1) * CELL.height}px)}`;
});
const last = `translateY(${(ROWS - lines.length) * CELL.height}px)`;
const [width, height] = [COLUMNS * CELL.width, ROWS * CELL.height];
const [outerWidth, outerHeight] = [width + 2 * PADDING, height + 2 * PADDING];

writeFileSync(
  process.argv[2] ?? "tour.svg",
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${outerWidth} ${outerHeight}" role="img" aria-labelledby="t">
<title id="t">The tour: every package in one story, from sign-in to a revoked token</title>
<style>
text{font:14px ui-monospace,"DejaVu Sans Mono",Menlo,Consolas,monospace;white-space:pre}
.b{font-weight:700}.d{opacity:.65}
#s{transform:${last}}
@media (prefers-reduced-motion:no-preference){#s{animation:s ${round(seconds)}s step-end infinite}}
@keyframes s{${steps.join("")}100%{transform:${last}}}
</style>
<rect width="${outerWidth}" height="${outerHeight}" rx="8" fill="#14181f"/>
<svg x="${PADDING}" y="${PADDING}" width="${width}" height="${height}"><g id="s" fill="#dfe3ea">
${lines.flatMap((line, row) => runsOf(line).map((run) => drawRun(run, row))).join("\n")}
</g></svg>
</svg>
`,
);
