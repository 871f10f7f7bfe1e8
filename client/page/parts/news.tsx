import { Icon, type IconName } from '../../look/icons.tsx';
import type { ToastKind } from '../game/toasts.ts';
import { useGame } from '../game/use-game.ts';

const icons: Readonly<Record<ToastKind, IconName>> = { good: 'star', plain: 'check', no: 'warning' };

/** Short news on the screen; `Spoken` reads them aloud. */
export const Toasts = () => {
  const { toasts } = useGame();
  return (
    <ul class="toasts" aria-hidden="true">
      {toasts.shown.value.map((toast) => (
        <li key={toast.id} class={`toast toast-${toast.kind}`}>
          <Icon name={icons[toast.kind]} size={18} />
          {toast.text}
        </li>
      ))}
    </ul>
  );
};

/** The page's one live region. */
export const Spoken = () => (
  <p class="hidden-text" role="status" aria-live="polite">
    {useGame().toasts.spoken.value}
  </p>
);
