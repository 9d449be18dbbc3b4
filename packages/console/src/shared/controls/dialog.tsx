/**
 * Modal dialog, based on the browser's dialog element, which traps the focus and closes on Escape.
 */
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { ActionError } from './page-states.tsx'

export function Dialog({ title, close, children }: { title: string; close(): void; children: ReactNode }) {
  const window = useRef<HTMLDialogElement>(null)
  // The dialog closes before it is removed; otherwise the browser does not return the focus.
  useLayoutEffect(() => {
    const dialog = window.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog ref={window} className="window" aria-label={title} onClose={close}>
      <header>
        <h2>{title}</h2>
        <button type="button" className="button quiet" onClick={close} aria-label="Close">
          ✕
        </button>
      </header>
      <div className="body">{children}</div>
    </dialog>
  )
}

interface ConfirmDialogProps<T> {
  readonly title: string
  /** The effect of the action. */
  readonly text: string
  readonly word: string
  act(): Promise<T>
  /** Called with the answer, or without one after a cancellation. */
  done(made?: T): void
}

/** For irreversible actions. */
export function ConfirmDialog<T>({ title, text, word, act, done }: ConfirmDialogProps<T>) {
  const doing = useMutation({ mutationFn: act, onSuccess: done })
  return (
    <Dialog title={title} close={() => done()}>
      <p>{text}</p>
      {doing.error !== null && <ActionError>Something went wrong: {doing.error.message}.</ActionError>}
      <div className="choices">
        <button type="button" className="button" onClick={() => done()}>
          Cancel
        </button>
        <button type="button" className="button main-one" disabled={doing.isPending} onClick={() => doing.mutate()}>
          {word}
        </button>
      </div>
    </Dialog>
  )
}
