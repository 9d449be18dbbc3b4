/**
 * Filter fields of a list or report. The page address contains their values, so that users can
 * share a view.
 */
import { type FormEvent, useId } from 'react'
import { useSearchParams } from 'wouter'
import { DayInput } from './day-input.tsx'
import './filters.css'

/** `isStep` adds a step to the browser's history, so that Back undoes it. */
export type SetFilter = (name: string, value: string, isStep?: boolean) => void

/** The address omits empty filters. */
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

/** With `isNeeded` the field cannot be emptied. */
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
  /** The meaning of an empty field. */
  readonly hint?: string | undefined
  /** The id of a `datalist`. A choice from it needs no Enter. */
  readonly offers?: string
  typed?(text: string): void
}

/** Browsers mark a choice from a `datalist` in this way, and some send no `inputType` at all. */
const isChoice = (event: Event) =>
  ((event as InputEvent).inputType ?? 'insertReplacementText') === 'insertReplacementText'

/** The value applies on Enter or when the field loses the focus. */
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
