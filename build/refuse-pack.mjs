// Before `npm pack` and `npm publish` in this folder: it holds sources, which a game's Node cannot run below node_modules.
process.stderr.write(
  'This folder is not the package. Build it and pack that: npm run build && npm pack ./dist\n' +
    'To publish: npm run release && npm publish ./dist\n',
);
process.exit(1);
