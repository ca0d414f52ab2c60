/** The address of an error's page, which is named after its tag. */
export const helpOf = (tag: string): string =>
  `https://game-data.github.io/game-data/errors/${tag.toLowerCase()}/`;
