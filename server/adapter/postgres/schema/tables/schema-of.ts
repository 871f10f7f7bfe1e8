import type { DataSource } from 'typeorm';

/** The schema that a data source works in; `createDataSource` has set it. */
export const schemaOf = ({ options }: DataSource): string => {
  if (options.type !== 'postgres' || options.schema === undefined) throw new Error('a data source without a schema');
  return options.schema;
};
