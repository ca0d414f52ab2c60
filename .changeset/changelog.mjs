// One line a change, as its author wrote it; no lines about dependencies inside the workspace.
export default {
  getReleaseLine: async ({ summary }) => `- ${summary.trim().split("\n").join("\n  ")}`,
  getDependencyReleaseLine: async () => "",
};
