import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** It stays open. Browsers close it at a second Escape, whatever was prevented: then it opens again. */
  readonly isHeld?: boolean;
  readonly children: ComponentChildren;
  readonly art?: ComponentChildren;
}

/** A modal dialog of the browser: it traps the focus and closes on Escape; then its opener gets the focus back. */
export const Dialog = ({ title, onClose, isHeld, children, art }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    return () => {
      // The browser gives the focus back only while the dialog is still there.
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => isHeld && event.preventDefault()}
      onClose={() => (isHeld ? dialog.current?.showModal() : onClose())}
    >
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
