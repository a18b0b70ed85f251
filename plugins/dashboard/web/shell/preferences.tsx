import { LANGUAGES, type Language } from '../i18n.ts'
import { language, setLanguage, t } from '../text.ts'
import { setTheme, type Theme, theme } from './theme.ts'

/** Language and colours. */
export function Preferences() {
  return (
    <div class="preferences">
      <label>
        <span class="sr-only">{t('shell.language')}</span>
        <select
          value={language.value}
          onChange={({ currentTarget }) => void setLanguage(currentTarget.value as Language)}
        >
          {Object.entries(LANGUAGES).map(([code, name]) => (
            <option key={code} value={code} lang={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span class="sr-only">{t('shell.theme')}</span>
        <select value={theme.value} onChange={({ currentTarget }) => setTheme(currentTarget.value as Theme)}>
          <option value="system">{t('shell.themeSystem')}</option>
          <option value="light">{t('shell.themeLight')}</option>
          <option value="dark">{t('shell.themeDark')}</option>
        </select>
      </label>
    </div>
  )
}
