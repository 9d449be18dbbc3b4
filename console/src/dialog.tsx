/** A window over the page: the browser's own, so that the keyboard stays inside and Escape leaves it. */
import { type ReactNode, useEffect, useRef } from 'react'

export function Dialog({ title, close, children }: { title: string; close(): void; children: ReactNode }) {
  const window = useRef<HTMLDialogElement>(null)
  useEffect(() => {
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
