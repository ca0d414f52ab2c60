export * from "@game-data/cli-kit/Failures";
