/** Prints help in the width of the terminal. For a wrong command line, prints only the errors. */
import { stripVTControlCharacters } from "node:util";
import { Console, Effect, type Stdio } from "effect";
import { CliOutput, TerminalCapabilities } from "effect/cli";
import { printUsage } from "./failures.ts";
import { terminalWidth } from "./print.ts";

/** Makes the presenter that prints help, the version and the errors of a command line. */
export const presenter = Effect.fnUntraced(function* (isJson: boolean) {
  const { canColor: colors } = yield* TerminalCapabilities.TerminalCapabilities;
  const width = yield* terminalWidth;
  const context = yield* Effect.context<Stdio.Stdio>();
  const present = (event: CliOutput.Presenter.Event) => {
    // The whole help would scroll the error off the screen.
    if (event._tag === "InvalidInvocation")
      return Effect.provideContext(printUsage(event, isJson), context);
    if (event._tag === "Version") return Console.log(`gamedata v${event.version}`);
    const help = CliOutput.defaultFormatter({ colors }).formatHelpDoc(event.helpDoc);
    const lines = help.split("\n").map((line) => wrap(line, width));
    return Console.log(lines.join("\n"));
  };
  return { present };
});

/** Minimum width of the second column. In a narrower terminal its text goes on the next line. */
const MIN_COLUMN = 20;

/** Wraps a line of help. Further lines begin at the second column, or at the indent of the line. */
const wrap = (line: string, width: number): string => {
  const plain = stripVTControlCharacters(line);
  if (CliOutput.displayWidth(plain) <= width) return line;
  const indent = plain.length - plain.trimStart().length;
  const gap = /\s{2,}/u.exec(plain.trim());
  const head = plain.slice(0, indent + (gap === null ? 0 : gap.index + gap[0].length));
  const rest = plain.slice(head.length);
  if (width - head.length >= MIN_COLUMN) return fold(rest, head, width);
  return `${fold(head.trim(), "  ", width)}\n${fold(rest, "    ", width)}`;
};

/** Breaks a text after spaces, bars and slashes, and indents further lines like the first. */
const fold = (text: string, start: string, width: number): string => {
  const lines = [start];
  // A URL is not broken, so that it can be copied.
  const breaks = text.includes("://") ? /(?<= )/u : /(?<=[ |/])/u;
  for (const word of text.split(breaks)) {
    const last = lines.at(-1)!;
    if (last !== start && (last + word).trimEnd().length > width)
      lines.push(" ".repeat(start.length) + word);
    else lines[lines.length - 1] = last + word;
  }
  return lines.map((line) => line.trimEnd()).join("\n");
};
