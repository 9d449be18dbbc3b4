/** Filters of a list or report as fields: each stands in the address, so that a view can be sent to a colleague. */
import { type FormEvent, useId } from 'react'
import { useSearchParams } from 'wouter'
import { DayInput } from './day-input.tsx'
import './filters.css'

/** `isStep`: something is opened or closed, and the browser's way back undoes it. */
export type SetFilter = (name: string, value: string, isStep?: boolean) => void

/** An empty one is not in the address. */
export function useFilters(): readonly [URLSearchParams, SetFilter] {
  const [query, setQuery] = useSearchParams()
  const set: SetFilter = (name, value, isStep = false) =>
    setQuery(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === '') next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: !isStep },
    )
  return [query, set]
}

interface Field {
  readonly name: string
  readonly value: string
  set(value: string): void
}

/** `isFeedCountMissing`: there is no list without it, so that it cannot be emptied. */
export function DayField({ name, value, max, isNeeded = false, set }: Field & { max: string; isNeeded?: boolean }) {
  const id = useId()
  return (
    <label className="field date" htmlFor={id}>
      <span>{name} (UTC)</span>
      <DayInput {...{ id, value, max, isNeeded, set }} />
    </label>
  )
}

interface TextFieldOptions {
  readonly isWide?: boolean
  /** What an empty one means. */
  readonly hint?: string | undefined
  /** What is offered, as the id of a `datalist`: what is chosen there needs no Enter. */
  readonly offers?: string
  typed?(text: string): void
}

/** As browsers tell a choice of what a `datalist` offers from what is typed; some say nothing of it at all. */
const isChoice = (event: Event) =>
  ((event as InputEvent).inputType ?? 'insertReplacementText') === 'insertReplacementText'

/** Asked for when it has been typed: with Enter, or on the way out. */
export function TextField({ name, value, isWide = false, hint = 'all', offers, typed, set }: Field & TextFieldOptions) {
  const input = ({ currentTarget, nativeEvent }: FormEvent<HTMLInputElement>) => {
    const text = currentTarget.value
    const isOffered = [...(currentTarget.list?.options ?? [])].some((one) => one.value === text)
    if (isOffered && isChoice(nativeEvent)) set(text)
    else typed?.(text)
  }
  return (
    <label className={isWide ? 'field wide' : 'field'}>
      <span>{name}</span>
      <input
        key={value}
        defaultValue={value}
        placeholder={hint}
        spellCheck={false}
        autoComplete="off"
        list={offers}
        onInput={input}
        onBlur={({ target }) => set(target.value)}
        onKeyDown={({ key, currentTarget }) => key === 'Enter' && set(currentTarget.value)}
      />
    </label>
  )
}
