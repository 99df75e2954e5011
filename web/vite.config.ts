import { defineConfig } from "vite";

// Everything is one folder of files that the server embeds: relative addresses, nothing from the network.
export default defineConfig({
  base: "./",
  build: { target: "es2022", outDir: "dist", emptyOutDir: true, chunkSizeWarningLimit: 900 },
});
