/** Read-only all the way down. */
export type Frozen<Type> = Type extends object ? { readonly [Field in keyof Type]: Frozen<Type[Field]> } : Type;
