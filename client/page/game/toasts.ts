import { signal } from '@preact/signals';
import { systemPlatform } from '../../follow/platform.ts';

export type ToastKind = 'good' | 'plain' | 'no';

export interface Toast {
  readonly id: number;
  readonly kind: ToastKind;
  readonly text: string;
}

const SHOWN_MS = 6_000;
const MOST = 3;

/** Short news: shown for a while, and read aloud by the page's one live region. */
export const createToasts = () => {
  const shown = signal<readonly Toast[]>([]);
  const spoken = signal('');
  let ids = 0;
  const say = (text: string): void => {
    // A screen reader would not read the same text again.
    spoken.value = text === spoken.value ? `${text}\u00a0` : text;
  };
  return {
    shown,
    spoken,
    say,
    show: (kind: ToastKind, text: string): void => {
      ids += 1;
      const id = ids;
      shown.value = [...shown.value, { id, kind, text }].slice(-MOST);
      say(text);
      systemPlatform.after(SHOWN_MS, () => {
        shown.value = shown.value.filter((toast) => toast.id !== id);
      });
    },
  };
};
