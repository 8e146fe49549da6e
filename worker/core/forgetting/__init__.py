"""What goes, what stays, and what no read may show meanwhile."""
