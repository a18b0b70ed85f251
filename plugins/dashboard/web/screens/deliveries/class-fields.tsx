import { t, textFor } from '../../text.ts'
import type { PartProps } from './part.ts'

/** Every event, or some classes of them. */
export function ClassFields({ draft, onChange, offer }: PartProps) {
  const { isAll, classes } = draft
  return (
    <fieldset class="card stack">
      <legend class="sr-only">{t('deliveries.classes')}</legend>
      <h2>{t('deliveries.classes')}</h2>
      <div class="stack-tight">
        <label>
          <input type="radio" name="all" checked={isAll} onChange={() => onChange({ isAll: true })} />{' '}
          {t('deliveries.allClasses')} <span class="hint">{t('deliveries.allHint')}</span>
        </label>
        <label>
          <input type="radio" name="all" checked={!isAll} onChange={() => onChange({ isAll: false })} />{' '}
          {t('deliveries.someClasses')}
        </label>
      </div>
      {isAll ? null : (
        <ul class="classes">
          {offer.classes.map(({ Name, Types }) => (
            <li key={Name}>
              <label class="class-choice" title={Types.join(', ')}>
                <input
                  type="checkbox"
                  checked={classes.includes(Name)}
                  onChange={({ currentTarget }) => {
                    const others = classes.filter((one) => one !== Name)
                    onChange({ classes: currentTarget.checked ? [...others, Name] : others })
                  }}
                />
                <span>
                  <strong>{Name}</strong>
                  <span class="hint">{textFor('deliveries', `class_${Name}`) ?? Types.join(', ')}</span>
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      {!isAll && classes.length === 0 ? <p class="hint">{t('deliveries.noClasses')}</p> : null}
    </fieldset>
  )
}
