/**
 * Copying to the clipboard, with a word of success that goes away again.
 */
import { useState } from "preact/hooks";

const SHOWN_MS = 1_500;

/** A function that copies a text, and the label of what was just copied. */
export const useCopy = () => {
  const [copied, setCopied] = useState<string>();
  const copy = async (label: string, text: string) => {
    await navigator.clipboard.writeText(text);
    setCopied(label);
    setTimeout(() => setCopied(undefined), SHOWN_MS);
  };
  return { copied, copy };
};
