import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly art?: ComponentChildren;
}

/** A modal dialog of the browser's own: it keeps the focus, closes on Escape, and gives the focus back. */
export const Dialog = ({ title, onClose, children, art }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={titleId} onClose={onClose}>
      <div class="dialog-body">
        {art ? <div class="dialog-art">{art}</div> : undefined}
        <h2 class="dialog-title" id={titleId}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
};
