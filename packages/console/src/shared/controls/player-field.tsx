/**
 * Filter field for a player's whole id. It suggests players whose id or nickname begins with the
 * input.
 */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useId, useState } from 'react'
import { encodeQueryPart, getJson } from '../../app/console-api.ts'
import { TextField } from './filter-fields.tsx'

interface OfferedPlayer {
  readonly userId: string
  readonly customFields?: { readonly nickname?: string }
}

const MAX_OFFERED = 10
const DEBOUNCE_MS = 200

export function PlayerField({ value, set }: { value: string; set(value: string): void }) {
  const offers = useId()
  const [typed, setTyped] = useState('')
  const text = useDebounced(typed.trim())
  const { data } = useQuery({
    queryKey: ['players offered', text],
    queryFn: ({ signal }) =>
      getJson<{ data: OfferedPlayer[] }>(`/operator/players?limit=${MAX_OFFERED}&q=${encodeQueryPart(text)}`, signal),
    enabled: text !== '',
    placeholderData: (before) => before,
    retry: false,
  })
  return (
    <>
      <TextField name="Player" value={value} set={(one) => set(one.trim())} isWide offers={offers} typed={setTyped} />
      <datalist id={offers}>
        {text !== '' &&
          data?.data.map(({ userId, customFields }) => (
            <option key={userId} value={userId}>
              {customFields?.nickname}
            </option>
          ))}
      </datalist>
    </>
  )
}

function useDebounced(text: string): string {
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return debounced
}
