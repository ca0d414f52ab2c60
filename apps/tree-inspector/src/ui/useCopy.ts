/**
 * Copying to the clipboard, with a word of success or failure that goes away again.
 *
 * A browser offers no clipboard to pages that came over plain HTTP from another host, and people
 * may refuse it.
 */
import { useState } from "preact/hooks";

const SHOWN_MS = 1_500;

/** The outcome of the last copy. */
export interface Copied {
  readonly label: string;
  readonly text: "Copied" | "Not allowed to copy";
}

/** Returns a function that copies a text, and the outcome of the last copy. */
export const useCopy = () => {
  const [copied, setCopied] = useState<Copied>();
  const copy = async (label: string, text: string) => {
    const done = await write(text);
    setCopied({ label, text: done ? "Copied" : "Not allowed to copy" });
    setTimeout(() => setCopied(undefined), SHOWN_MS);
  };
  return { copied, copy };
};

const write = async (text: string): Promise<boolean> => {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
};
