/** Whether the database's clock is trusted. `byMs`: what it shows beyond the held time, on which `sinceMs` is. */
export type OpsClock =
  | { readonly isHeld: false }
  | {
      readonly isHeld: true;
      readonly sinceMs: number;
      readonly byMs: number;
      readonly direction: 'ahead' | 'back';
    };
