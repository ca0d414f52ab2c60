export * from "@game-data/cli-kit/Output";
