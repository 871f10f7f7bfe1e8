// The real client of Prisma, of what its packages in npm bring (its engine is in them as wasm). The command `prisma generate`
// writes the same of a schema, by way of a program that it downloads from a site of its own; so the lines that count stand here.

import { PrismaPg } from '@prisma/adapter-pg';
import { type GetPrismaClientConfig, getPrismaClient } from '@prisma/client/runtime/client';

const SCHEMA = `
generator client {
  provider = "prisma-client"
  output   = "."
}
datasource db {
  provider = "postgresql"
}
model Gold {
  owner  String @id
  amount BigInt
  @@map("gold")
}`;

const config: GetPrismaClientConfig = {
  previewFeatures: [],
  clientVersion: '7.10.0',
  engineVersion: '',
  activeProvider: 'postgresql',
  inlineSchema: SCHEMA,
  runtimeDataModel: {
    models: {
      Gold: {
        fields: [
          { name: 'owner', kind: 'scalar', type: 'String' },
          { name: 'amount', kind: 'scalar', type: 'BigInt' },
        ],
        dbName: 'gold',
        schema: null,
      },
    },
    enums: {},
    types: {},
  } as unknown as GetPrismaClientConfig['runtimeDataModel'],
  // Of no statement at all: it saves planning, and changes nothing else.
  parameterizationSchema: { strings: [], graph: 'AAAAAAAA' },
  compilerWasm: {
    getRuntime: () => import('@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs' as string),
    getQueryCompilerWasmModule: async () => {
      const { wasm } = await import(
        '@prisma/client/runtime/query_compiler_fast_bg.postgresql.wasm-base64.mjs' as string
      );
      return Reflect.construct(WebAssembly.Module, [Buffer.from(wasm, 'base64')]);
    },
    importName: './query_compiler_fast_bg.js',
  },
};

/** Of Node; the types of browsers have it. */
declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => never };

/** The part of the generated client's types that the tests use. */
interface Prisma {
  $queryRawUnsafe<Rows = unknown>(text: string, ...values: unknown[]): Promise<Rows>;
  readonly gold: {
    create(row: { readonly data: { readonly owner: string; readonly amount: number } }): Promise<object>;
  };
}

interface PrismaClient extends Prisma {
  $transaction<Result>(work: (tx: Prisma) => Promise<Result>): Promise<Result>;
  $disconnect(): Promise<void>;
}

const Client = getPrismaClient(config) as unknown as new (options: { readonly adapter: PrismaPg }) => PrismaClient;

export const prismaClient = (url: string): PrismaClient =>
  new Client({ adapter: new PrismaPg({ connectionString: url }) });
