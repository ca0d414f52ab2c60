/**
 * An event of a watched search as one line that fits the terminal.
 */
import { clean, type Style, styled } from "@game-data/terminal/View";
import { CliOutput } from "effect/cli";
import type { WatchedItem, WatchEvent } from "../session/watchIndex.ts";

const STYLES: Readonly<Record<string, Style>> = {
  listed: "green",
  repriced: "yellow",
  sold: "red",
};

/** Items of which the end is told by name. */
const MOST_NAMED = 5000;

/**
 * Returns a function that makes a line of an event. The index no longer has an item that is gone,
 * so the lines take its name from an earlier event.
 */
export const watchLines = () => {
  const named = new Map<number, WatchedItem>();
  return ({ item, kind, no }: WatchEvent, time: Date, width = Infinity): string => {
    const known = item ?? named.get(no);
    if (item === null) named.delete(no);
    else named.set(no, item);
    const [oldest] = named.keys();
    if (named.size > MOST_NAMED) named.delete(oldest!);
    const price = known?.price == null ? [] : [`${known.price.amount} ${known.price.currency}`];
    const texts =
      known === undefined
        ? [`#${no}`]
        : [...price, `${known.name} ${known.base}`.trim(), known.seller].filter(Boolean);
    const begin = `${clockOf(time)} `;
    const word = clean(kind).padEnd("unlisted".length);
    const rest = ` ${clean(texts.join("  "))}`;
    const room = width - begin.length - word.length;
    return `${styled("dim", begin)}${styled(STYLES[kind] ?? "dim", word)}${cut(rest, room)}`;
  };
};

const clockOf = (time: Date): string =>
  [time.getHours(), time.getMinutes(), time.getSeconds()]
    .map((part) => String(part).padStart(2, "0"))
    .join(":");

/** Cuts a text to some columns. */
const cut = (text: string, width: number): string => {
  if (CliOutput.displayWidth(text) <= width) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (CliOutput.displayWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
};
