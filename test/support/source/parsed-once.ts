import type ts from 'typescript';

/** A host that parses each file once for all programs that share `parsed`; they must have the same options. */
export const parsedOnce = (host: ts.CompilerHost, parsed: Map<string, ts.SourceFile>): ts.CompilerHost => {
  const { getSourceFile } = host;
  return {
    ...host,
    getSourceFile: (file, ...more) => {
      const source = parsed.get(file) ?? getSourceFile.call(host, file, ...more);
      if (source) parsed.set(file, source);
      return source;
    },
  };
};
