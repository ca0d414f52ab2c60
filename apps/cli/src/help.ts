/** Prints help in the width of the terminal. Invalid command lines print their errors alone. */
import { stripVTControlCharacters } from "node:util";
import { Console, Effect } from "effect";
import { CliOutput, TerminalCapabilities } from "effect/cli";
import { terminalWidth } from "./print.ts";

/** The presenter of help and of the version. */
export const helpPresenter = Effect.map(
  Effect.all({ capabilities: TerminalCapabilities.TerminalCapabilities, width: terminalWidth }),
  ({ capabilities, width }): CliOutput.Presenter => ({
    present: (event) => {
      // The help would scroll the error off the screen.
      if (event._tag === "InvalidInvocation") return Effect.void;
      if (event._tag === "Version") return Console.log(`gamedata v${event.version}`);
      const formatter = CliOutput.defaultFormatter({ colors: capabilities.canColor });
      const text = formatter.formatHelpDoc(event.helpDoc);
      return Console.log(
        text
          .split("\n")
          .map((line) => wrap(line, width))
          .join("\n"),
      );
    },
  }),
);

/** A narrower column holds hardly a word: the text moves below its name. */
const MIN_COLUMN = 20;

/** Wraps a line below its second column, or below its own beginning. */
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

/** Breaks a text after blanks, bars and slashes of paths, and indents further lines alike. */
const fold = (text: string, start: string, width: number): string => {
  const lines = [start];
  // An address stays whole, so that it can be copied.
  const breaks = text.includes("://") ? /(?<= )/u : /(?<=[ |/])/u;
  for (const word of text.split(breaks)) {
    const last = lines.at(-1)!;
    if (last !== start && (last + word).trimEnd().length > width)
      lines.push(" ".repeat(start.length) + word);
    else lines[lines.length - 1] = last + word;
  }
  return lines.map((line) => line.trimEnd()).join("\n");
};
