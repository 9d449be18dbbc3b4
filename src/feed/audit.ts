/** The invariants of a feed, for audits: each number is given once, none is left out, and the count is the last one. */
export function feedChecks(schema: 'platform' | 'purser'): Readonly<Record<string, string>> {
  return {
    [`the ${schema === 'purser' ? 'feed' : "platform's feed"} is numbered without gaps, up to its count`]: `
    select first_after as after, last_number as number from (
      select last_number - size as first_after, last_number, lag(last_number) over (order by last_number) as before
      from ${schema}.change where last_number is not null
    ) c where before <> first_after
    union all
    select n.last_number, m.number from ${schema}.change_count n
      cross join (select max(last_number) as number from ${schema}.change) m where m.number <> n.last_number`,
  }
}
