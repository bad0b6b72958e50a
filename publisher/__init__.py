"""Turns an edition into Markdown, HTML, feeds and git commits; knows no database and no clock."""
