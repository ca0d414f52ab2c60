/** Pieces of hostile texts: of all that we know, a megabyte of these takes `findLinks` the longest. */
export const HOSTILE_PARTS: ReadonlyArray<string> = [
  ..."AAAABA. AAAABA https:// http a. a./ a-.a-. a.a.a.a.a.a.a.a.a.a. a.b/ //a.b/ (((( % %25 _ 😀".split(
    " ",
  ),
  ..."a.b/x( (((a.b/) _https://a.b/AAAA https://a.b/AAAA, https://a.b/AAAA,x.y/ /AAAA?u= &u=/AAAA".split(
    " ",
  ),
  ..."https://a.b/ https://a.b/?q= https://a.b/AAAA&#x https://a.b/AAAA&lt; AAAABgAAAAAA%3d".split(
    " ",
  ),
  ...String.raw`https://a.b/AAAABgAAAAAA, http%3A%2F%2F https:\/\/ https://a.b/AAAA"`.split(" "),
  "https://a.b/AAAA?q=https%3A%2F%2Fa.b%2FAAAA&",
  // A URL each, to be parsed, and in most of them no link.
  ..."a.b/ AAAABgAAAAAA a.b/AAAA a.b/AAAABBBB a.b/AAAABBBBBB a.b/AAAABBBB%25 a.b/AAAABBBBBB%FF"
    .concat(" a.b/AAAABBBBBB/x a.b/AAAA%42BBBBB a.b/AAAABBBBBB?q=/ a.b/passive-skill-tree/A")
    .concat(" a.b/#AAAABgAAAAAA https://a.b/#AAAABgAAAAAA https://u:p@a.b/AAAABBBBBB")
    .concat(" a.b:99999/AAAABBBBBB http://ü/AAAABBBBBB/x http://xn--a/AAAABBBBBB")
    .split(" ")
    .map((url) => `${url} `),
];

/** A text of a megabyte. */
export const megabyteOf = (part: string): string =>
  part.repeat(Math.ceil(2 ** 20 / part.length)).slice(0, 2 ** 20);
