"""A day of a wind park, watched: jobs on Spark, their score, and a page that shows it."""
