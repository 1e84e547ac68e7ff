/** The generator's own words in Chinese. */
export const chinese = {
  themeConfig: {
    outline: { level: [2, 3] as [number, number], label: '本页内容' },
    docFooter: { prev: '上一页', next: '下一页' },
    langMenuLabel: '切换语言',
    returnToTopLabel: '回到顶部',
    sidebarMenuLabel: '菜单',
    darkModeSwitchLabel: '外观',
    lightModeSwitchTitle: '切换到浅色模式',
    darkModeSwitchTitle: '切换到深色模式',
    skipToContentLabel: '跳到正文',
    notFound: { title: '没有这一页', quote: '地址可能有误。', linkLabel: '回到首页', linkText: '回到首页' }
  },
  search: {
    button: { buttonText: '搜索', buttonAriaLabel: '搜索' },
    modal: {
      displayDetails: '显示详细列表', resetButtonTitle: '清除', backButtonTitle: '关闭', noResultsText: '没有找到',
      footer: { selectText: '选择', selectKeyAriaLabel: '回车', navigateText: '移动', navigateUpKeyAriaLabel: '上箭头', navigateDownKeyAriaLabel: '下箭头', closeText: '关闭', closeKeyAriaLabel: 'Esc' }
    }
  }
}
