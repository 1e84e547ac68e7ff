/** The default theme without its web fonts: those of the reader's system are as good, and there from the start. */
import theme from 'vitepress/theme-without-fonts'
import './style.css'

export default theme
