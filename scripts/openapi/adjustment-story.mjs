/** The part of a player's story that is about adjustments: by one person, and by two (W-27). */
export function adjustmentSteps({ step, post, get, path, nobody: unknownPlayer, bet }) {
  const fix = (over, of = path) =>
    post(`${of}/adjustments`, {
      ...{ currency: 'EUR', amount: '-5.00', reference: 'corr-17', reason: 'paid twice after the outage' },
      ...{ person: 'maria', ticket: 'SUP-4711', ...over },
    })

  const corrections = [
    step('adjustment', 201, 'taken', 'Also the answer to the same again', fix({})),
    step(
      'adjustment',
      201,
      'given',
      'For one of her bets',
      fix({ amount: '5.00', reference: 'corr-18', transactionId: bet }),
    ),
    step('adjustment', 400, 'zero', 'Nothing to correct', fix({ amount: '0.00', reference: 'corr-20' })),
    step('adjustment', 404, 'unknown', 'Nobody has this id', fix({}, unknownPlayer)),
    step('adjustment', 409, 'tooMuch', 'More than she has', fix({ amount: '-9900.00', reference: 'corr-19' })),
    step('adjustment', 422, 'reused', 'The reference of another movement', fix({ amount: '-6.00' })),
  ]

  const LARGE = {
    amount: '12000.00',
    reference: 'corr-21',
    reason: 'a jackpot that was not booked',
    ticket: 'SUP-4712',
  }
  const decide = (what, reference) => post(`${path}/adjustments/${what}`, { reference })
  const asNadia = { credential: ({ key }) => key }

  const byTwo = [
    step('makeKey', 201, 'second', 'For a second person', post('/operator/keys', { name: 'nadia', role: 'cash' })),
    step('adjustment', 202, 'large', 'Waits for a second person', fix(LARGE)),
    step('adjustment', 202, 'another', 'Another one', fix({ ...LARGE, reference: 'corr-22' })),
    step('listAdjustments', 200, 'pending', 'What waits', get('/operator/adjustments?status=pending')),
    step('listAdjustments', 400, 'status', 'A status that does not exist', get('/operator/adjustments?status=lost')),
    step('showId', 200, 'adjustment', 'An adjustment that waits', get('/operator/show/corr-22')),
    step('approveAdjustment', 400, 'invalid', 'No reference', post(`${path}/adjustments/approve`, {})),
    step('approveAdjustment', 403, 'same', 'Whoever asked for it', decide('approve', 'corr-21')),
    step('approveAdjustment', 404, 'unknown', 'Nobody asked for it', decide('approve', 'corr-99'), asNadia),
    step('approveAdjustment', 201, 'approved', 'Made now', decide('approve', 'corr-21'), asNadia),
    step('approveAdjustment', 409, 'decided', 'Another one has', decide('approve', 'corr-21')),
    step('refuseAdjustment', 400, 'invalid', 'No reference', post(`${path}/adjustments/refuse`, {})),
    step('refuseAdjustment', 404, 'unknown', 'Nobody asked for it', decide('refuse', 'corr-99'), asNadia),
    step('refuseAdjustment', 200, 'refused', 'It comes to nothing', decide('refuse', 'corr-22'), asNadia),
    step('refuseAdjustment', 409, 'decided', 'It has been approved', decide('refuse', 'corr-21')),
  ]
  return [...corrections, ...byTwo]
}
