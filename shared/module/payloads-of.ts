import type { AnyModule, MessagesOf } from './module.ts';

export type AnyModules = readonly AnyModule[];
/** Payloads of commands by their message's name, without `commandId`. */
export type Payloads = Readonly<Record<string, object | { readonly [field: string]: unknown }>>;

export type KeyOfEach<Map> = Map extends unknown ? keyof Map & string : never;
export type ValueOfEach<Map, Key extends string> = Map extends { readonly [Each in Key]: infer Value } ? Value : never;
export type MessagesOfEach<M> = M extends AnyModule ? MessagesOf<M> : never;

/** The commands of the modules, by message name. For modules without known types: anything. */
export type PayloadsOf<Modules extends AnyModules> = string extends Modules[number]['name']
  ? Payloads
  : {
      readonly [Type in KeyOfEach<MessagesOfEach<Modules[number]>>]: ValueOfEach<
        MessagesOfEach<Modules[number]>,
        Type
      > &
        object;
    };
