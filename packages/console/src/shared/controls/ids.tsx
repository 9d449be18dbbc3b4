/** Displays ids. An id is shortened, shown whole on hover and focus, and copied on click. */
import type { MouseEvent } from 'react'
import { Link } from 'wouter'
import { announce } from './hint-card.tsx'

/** A browser provides the clipboard only over https or on this machine. */
function copyText({ currentTarget }: MouseEvent<HTMLElement>, text: string): void {
  const fail = () => announce(currentTarget, `Not copied: the browser does not let this page. ${text}`)
  if (navigator.clipboard === undefined) fail()
  else navigator.clipboard.writeText(text).then(() => announce(currentTarget, 'Copied'), fail)
}

/** Ids of the same instant begin alike, and the sandbox's terminal shows the end of an id. */
const shortenId = (id: string) => (id.length <= 14 ? id : `${id.slice(0, 6)}…${id.slice(-6)}`)

/** A link with a copy button; without `href` the id itself is the button. */
export function ShortId({ id, href }: { id: string; href?: string }) {
  if (href === undefined) return <Id id={id} />
  return (
    <span className="with-copy">
      <Link href={href}>
        <code data-hint={id}>{shortenId(id)}</code>
      </Link>
      <button type="button" className="copy" aria-label={`Copy ${id}`} onClick={(event) => copyText(event, id)}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
        </svg>
      </button>
    </span>
  )
}

export function CopyButton({ text, name = 'Copy' }: { text: string; name?: string }) {
  return (
    <button type="button" className="button quiet small" onClick={(event) => copyText(event, text)}>
      {name}
    </button>
  )
}

/** As the sandbox's terminal shows the id of a bet. */
const END_LENGTH = 6

export function IdEnd({ id }: { id: string }) {
  return (
    <button type="button" className="id" data-hint={`${id}\nClick to copy`} onClick={(event) => copyText(event, id)}>
      {id.slice(-END_LENGTH)}
    </button>
  )
}

export function Id({ id, whole = false }: { id: string; whole?: boolean }) {
  return (
    <button type="button" className="id" data-hint={`${id}\nClick to copy`} onClick={(event) => copyText(event, id)}>
      {whole ? id : shortenId(id)}
    </button>
  )
}
