/**
 * The address of an error's page. A page is named after the tag, so no class holds an address. Apart
 * from `failure`, whose declarations load Effect's.
 */
export const helpOf = (tag: string): string =>
  `https://game-data.github.io/game-data/errors/${tag.toLowerCase()}/`;
